#!/usr/bin/env bash
# Writes the artifacts of Maven's coordinates org.wari:wari: the classes, the sources and the documentation as jars, and
# pom.xml.
#
#   bindings/java/build.sh FOLDER VERSION JNA_JAR
set -eu -o pipefail
folder=$1 version=$2 jna=$3
sources=bindings/java/src/main/java name=wari-$version
grep -q "<version>$version</version>" bindings/java/pom.xml || {
    echo "java: pom.xml has another version than $version; correct it" >&2
    exit 2
}
rm -rf "$folder"
mkdir -p "$folder/classes/META-INF/maven/org.wari/wari"
javac --release 17 -Xlint:all -Werror -cp "$jna" -d "$folder/classes" "$sources"/org/wari/*.java
cp LICENSE "$folder/classes/META-INF"
cp bindings/java/pom.xml "$folder/classes/META-INF/maven/org.wari/wari"
javadoc -quiet -Xdoclint:all -Werror --release 17 -cp "$jna" -d "$folder/javadoc" -windowtitle "Wari $version" "$sources"/org/wari/*.java
jar --create --file "$folder/$name.jar" -C "$folder/classes" .
jar --create --file "$folder/$name-sources.jar" -C "$sources" .
jar --create --file "$folder/$name-javadoc.jar" -C "$folder/javadoc" .
cp bindings/java/pom.xml "$folder/$name.pom"
